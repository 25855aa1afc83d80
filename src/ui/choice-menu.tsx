'use client';
import { ChevronDown } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from './button';
import { Menu } from './menu';

type Props<V extends string> = {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onValueChange: (value: V) => void;
};

/** One of some alternatives that change a view, behind a button that names the chosen one: "Group by: Service". */
export function ChoiceMenu<V extends string>({ label, value, options, onValueChange }: Props<V>) {
  const t = useT();
  const text = options.find((option) => option.value === value)?.label ?? value;
  return (
    <Menu
      trigger={
        <Button aria-label={t('{label}: {text}', { label, text })}>
          <span className="font-normal text-muted">{t('{label}:', { label })}</span>
          {text}
          <ChevronDown size={14} className="-mr-1 text-faint" aria-hidden />
        </Button>
      }
      entries={[
        {
          kind: 'choice',
          id: 'choices',
          label,
          value,
          options,
          onValueChange: (chosen) => onValueChange(chosen as V),
        },
      ]}
    />
  );
}
