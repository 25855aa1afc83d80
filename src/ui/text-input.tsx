'use client';
import clsx from 'clsx';
import { type ClipboardEvent, type ComponentPropsWithRef, type ReactNode, useState } from 'react';
import { useFieldControl } from './form/field-control';

type Props = Omit<ComponentPropsWithRef<'input'>, 'size' | 'value' | 'defaultValue'> & {
  value?: string;
  /** Monospace, for addresses, ports and tokens. */
  mono?: boolean;
  /** Inside the box, before and after the text. */
  leading?: ReactNode;
  trailing?: ReactNode;
};

/**
 * A one-line text input. In a form use `form/text-field`, which adds label and messages. The tree around the field
 * never depends on its siblings: a field that moves in the tree is mounted again and loses focus while the user types.
 */
export function TextInput({ mono, leading, trailing, className, ...rest }: Props) {
  const field = useFieldControl();
  return (
    <span className={clsx('control flex items-center gap-1 px-2', className)}>
      {leading && <span className="shrink-0 text-faint">{leading}</span>}
      <input
        {...field}
        {...rest}
        className={clsx('min-w-0 flex-1 self-stretch bg-transparent px-0.5 outline-none', mono && 'mono')}
      />
      {trailing}
    </span>
  );
}

/**
 * The text of an input from which a value is read. What is typed stays as it is while it is edited, whatever it is read as; a value
 * from elsewhere replaces it.
 * @param value the value as text
 * @param shown how an input shows it
 */
export function useTypedText(
  value: string,
  shown: string,
): { text: string; keep: (text: string, read: string) => void } {
  const [typed, setTyped] = useState<{ text: string; read: string } | null>(null);
  return {
    text: typed?.read === value ? typed.text : shown,
    keep: (text, read) => setTyped({ text, read }),
  };
}

/**
 * What a field of one line holds after a paste of several lines; null for a paste that the browser handles well. Browsers drop
 * the line breaks: a pasted column of ports would become one long number. They become spaces instead.
 */
export function readPastedLine(event: ClipboardEvent<HTMLInputElement>): string | null {
  const text = event.clipboardData.getData('text');
  if (!/[\r\n]/.test(text)) return null;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  return joinPasted(value, text, selectionStart ?? value.length, selectionEnd ?? value.length);
}

/** `value` with the lines of `text` in place of what was selected. */
export const joinPasted = (value: string, text: string, from: number, to: number): string =>
  value.slice(0, from) +
  text
    .trim()
    .split(/\s*[\r\n]+\s*/)
    .join(' ') +
  value.slice(to);
