'use client';
import { X } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';

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
