'use client';
import { X } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import type { RemoteSearch } from './combobox-popup';
import { FacetMenu } from './facet-menu';
import { FacetSearch } from './facet-search';
import type { Option } from './option';

export type FacetProps = {
  label: string;
  options: readonly Option[];
  /** Chosen values; none means no restriction. */
  value: readonly string[];
  onValueChange: (value: string[]) => void;
  /** Only one at a time. */
  single?: boolean;
  /** The options are found by the server; the chosen ones must be among `options` to show their names. */
  remote?: RemoteSearch;
};

/** From here on a list is searched rather than read. */
const LONG = 12;

/** A filter by one field. The button says what is chosen. */
export function Facet(props: FacetProps) {
  return props.remote || props.options.length > LONG ? <FacetSearch {...props} /> : <FacetMenu {...props} />;
}

/** A filter that has no menu of its own: what it says, and a way to take it off. */
export function FilterChip({ label, value, onRemove }: { label: string; value: string; onRemove: () => void }) {
  const t = useT();
  return (
    <span className="inline-flex h-8 max-w-full items-center gap-1.5 rounded-md border border-accent bg-accent-soft pl-2.5 text-base">
      <span className="text-muted">{t('{label}:', { label })}</span>
      <span className="max-w-56 truncate">{value}</span>
      <button
        type="button"
        aria-label={t('Remove filter {label}', { label })}
        onClick={onRemove}
        className="inline-flex size-7 items-center justify-center rounded-md text-muted hover:text-text"
      >
        <X size={14} aria-hidden />
      </button>
    </span>
  );
}
