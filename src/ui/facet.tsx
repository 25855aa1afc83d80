'use client';
import { ChevronDown } from 'lucide-react';
import { buttonClass } from './button-class';
import { Menu } from './menu';
import type { Option } from './option';

export type FacetProps = {
  label: string;
  options: readonly Option[];
  /** Chosen values; none means no restriction. */
  value: readonly string[];
  onValueChange: (value: string[]) => void;
  /** Only one at a time. */
  single?: boolean;
};

/** A filter by one field: a menu of its values. The button says what is chosen. */
export function Facet({ label, options, value, onValueChange, single = false }: FacetProps) {
  const chosen = options.filter((option) => value.includes(option.value));
  const text = chosen.length > 2 ? `${chosen.length} chosen` : chosen.map((option) => option.label).join(', ');
  const set = (option: string, on: boolean) =>
    onValueChange(on ? (single ? [option] : [...value, option]) : value.filter((item) => item !== option));
  return (
    <Menu
      trigger={
        <button
          type="button"
          className={buttonClass({ className: chosen.length > 0 ? '!border-accent !bg-accent-soft' : 'font-normal' })}
        >
          <span className={chosen.length > 0 ? 'text-muted' : undefined}>
            {label}
            {chosen.length > 0 && ':'}
          </span>
          {chosen.length > 0 && <span className="max-w-40 truncate">{text}</span>}
          <ChevronDown size={14} className="-mr-1 text-faint" aria-hidden />
        </button>
      }
      entries={[
        ...options.map((option) => ({
          kind: 'check' as const,
          id: option.value,
          label: option.label,
          checked: value.includes(option.value),
          disabled: option.disabledReason !== undefined,
          onCheckedChange: (on: boolean) => set(option.value, on),
        })),
        ...(chosen.length > 0
          ? [
              { kind: 'separator' as const, id: 'facet-separator' },
              { id: 'facet-clear', label: 'Clear', onSelect: () => onValueChange([]) },
            ]
          : []),
      ]}
    />
  );
}
