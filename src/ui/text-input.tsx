'use client';
import clsx from 'clsx';
import { type ComponentPropsWithRef, type ComponentType, createContext, type ReactNode, use } from 'react';

/** The input of a labeled field of a form, which knows its label and messages; elsewhere a plain one. */
export const FieldInput = createContext<ComponentType<ComponentPropsWithRef<'input'>> | 'input'>('input');

type Props = Omit<ComponentPropsWithRef<'input'>, 'size' | 'value' | 'defaultValue'> & {
  value?: string;
  /** Monospace, for addresses, ports and tokens. */
  mono?: boolean;
  /** Inside the box, before and after the text. */
  leading?: ReactNode;
  trailing?: ReactNode;
};

/**
 * A one-line text input. In a form use `form/text-field`, which adds label and messages. The tree around the field never
 * depends on what stands beside it: a field that moves in the tree is mounted anew and loses focus while someone types.
 */
export function TextInput({ mono, leading, trailing, className, ...rest }: Props) {
  const Input = use(FieldInput);
  return (
    <span className={clsx('control flex items-center gap-1 px-2', className)}>
      {leading && <span className="shrink-0 text-faint">{leading}</span>}
      <Input
        {...rest}
        className={clsx('min-w-0 flex-1 self-stretch bg-transparent px-0.5 outline-none', mono && 'mono')}
      />
      {trailing}
    </span>
  );
}
