'use client';
import { ChevronDown } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { buttonClass } from './button-class';

type Props = Omit<ComponentPropsWithRef<'button'>, 'type' | 'className' | 'children'> & {
  label: string;
  chosen: readonly string[];
};

/** "State", or "State: running, paused" in the colour of an active filter. */
export function FacetButton({ label, chosen, ...rest }: Props) {
  const t = useT();
  const active = chosen.length > 0;
  const text = chosen.length > 2 ? t('{n, number} chosen', { n: chosen.length }) : chosen.join(', ');
  return (
    <button
      {...rest}
      type="button"
      // A button with a combobox's role is not named by its text.
      aria-label={active ? t('{label}: {text}', { label, text }) : label}
      className={buttonClass({ className: active ? '!border-accent !bg-accent-soft' : 'font-normal' })}
    >
      <span className={active ? 'text-muted' : undefined}>{active ? t('{label}:', { label }) : label}</span>
      {active && <span className="max-w-40 truncate">{text}</span>}
      <ChevronDown size={14} className="-mr-1 text-faint" aria-hidden />
    </button>
  );
}
