'use client';
import { Input } from '@base-ui/react/input';
import clsx from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';

type Props = Omit<ComponentPropsWithRef<'input'>, 'size' | 'value' | 'defaultValue'> & {
  value?: string;
  /** Monospace, for addresses, ports and tokens. */
  mono?: boolean;
  /** Inside the box, before and after the text. */
  leading?: ReactNode;
  trailing?: ReactNode;
};

/** A one-line text input. In a form use `form/text-field`, which adds label and messages. */
export function TextInput({ mono, leading, trailing, className, ...rest }: Props) {
  const text = clsx(mono && 'mono');
  if (!leading && !trailing) return <Input {...rest} className={clsx('control px-2.5', text, className)} />;
  return (
    <span className={clsx('control flex items-center gap-1 px-2', className)}>
      {leading && <span className="shrink-0 text-faint">{leading}</span>}
      <Input {...rest} className={clsx('min-w-0 flex-1 self-stretch bg-transparent px-0.5 outline-none', text)} />
      {trailing}
    </span>
  );
}
