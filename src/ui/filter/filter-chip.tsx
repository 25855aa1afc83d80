'use client';
import clsx from 'clsx';
import { ChevronDown, X } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { Tooltip } from '../tooltip';
import { chipText, chosenNames, type FilterField } from './filter-field';

type Props = {
  field: FilterField;
  /** Whether its choices are open. */
  open: boolean;
  /** Opens the choices beside `anchor`, or closes them. */
  onPress: (anchor: HTMLElement) => void;
  onRemove: () => void;
};

/** Longer texts may be cut off. */
const SHORT = 24;

/** A filter above a list: "Status: OK". Pressing it opens its choices again; the cross removes it. Without a value it offers its field. */
export function FilterChip({ field, open, onPress, onRemove }: Props) {
  const t = useT();
  const { label } = field;
  const names = chosenNames(field);
  const text = chipText(t, field);
  const isSet = names.length > 0;
  const all = names.join(', ');
  return (
    <span
      className={clsx(
        'inline-flex h-8 max-w-full items-stretch rounded-md border max-md:h-11',
        isSet ? 'border-accent bg-accent-soft' : 'border-line-strong border-dashed bg-surface max-md:hidden',
      )}
    >
      <Tooltip content={all !== text || all.length > SHORT ? t('{label}: {text}', { label, text: all }) : null}>
        <button
          type="button"
          aria-haspopup="dialog"
          aria-expanded={open}
          aria-label={isSet ? t('{label}: {text}', { label, text }) : label}
          onClick={(event) => onPress(event.currentTarget)}
          className={clsx(
            'inline-flex min-w-0 select-none items-center gap-1.5 rounded-md pl-2.5 text-base',
            !isSet && 'pr-2 text-muted hover:bg-surface-2 hover:text-text',
          )}
        >
          <span className="whitespace-nowrap text-muted">{isSet ? t('{label}:', { label }) : label}</span>
          {isSet ? (
            <span className="max-w-56 truncate">{text}</span>
          ) : (
            <ChevronDown size={14} className="text-faint" aria-hidden />
          )}
        </button>
      </Tooltip>
      {isSet && (
        <button
          type="button"
          aria-label={t('Remove filter {label}', { label })}
          onClick={onRemove}
          className="inline-flex w-7 shrink-0 max-md:w-11 items-center justify-center rounded-md text-muted hover:text-text"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  );
}
