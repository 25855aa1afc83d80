'use client';
import { Switch as Base } from '@base-ui/react/switch';
import type { ComponentPropsWithRef } from 'react';

type Props = Omit<ComponentPropsWithRef<typeof Base.Root>, 'className' | 'render' | 'style'>;

/** For a setting that takes effect at once; where a form is submitted later use a checkbox. */
export function Switch(props: Props) {
  return (
    <Base.Root
      {...props}
      className="flex h-5 w-9 shrink-0 rounded-full border border-line-strong bg-surface p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:border-line data-disabled:bg-surface-3"
    >
      <Base.Thumb className="size-3.5 rounded-full bg-line-strong transition-[translate,background-color] data-checked:translate-x-4 data-checked:bg-on-solid data-disabled:bg-faint" />
    </Base.Root>
  );
}
