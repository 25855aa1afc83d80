'use client';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { TextInput } from '@/ui/text-input';

type Props = {
  label: string;
  placeholder: string;
  /** What the URL holds; empty for no restriction. */
  value: string;
  /** What is wrong with a text, or null. */
  check: (text: string) => string | null;
  onValueChange: (value: string | null) => void;
  className?: string;
  inputMode?: 'numeric' | 'text';
};

/** A filter that is typed and checked before it takes effect, with Enter or when the field is left. */
export function FilterInput({ label, placeholder, value, check, onValueChange, className, inputMode }: Props) {
  const t = useT();
  const [draft, setDraft] = useState(value);
  const [error, setError] = useState<string | null>(null);
  // The URL changed by another way: back button, "clear".
  const [settled, setSettled] = useState(value);
  const errorId = useId();
  if (value !== settled) {
    setSettled(value);
    setDraft(value);
    setError(null);
  }
  const commit = (typed: string) => {
    const text = typed.trim();
    const problem = text === '' ? null : check(text);
    setError(problem);
    if (problem || text === value) return;
    setSettled(text);
    onValueChange(text === '' ? null : text);
  };
  const clear = () => {
    setDraft('');
    commit('');
  };
  return (
    <span className={`flex flex-col gap-0.5 ${className ?? ''}`}>
      <TextInput
        mono
        aria-label={label}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : undefined}
        data-invalid={error ? '' : undefined}
        placeholder={placeholder}
        inputMode={inputMode}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value);
          setError(null);
        }}
        onBlur={() => commit(draft)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(draft);
          if (event.key === 'Escape' && draft !== '') {
            event.stopPropagation();
            clear();
          }
        }}
        className={value && !error ? '!border-accent !bg-accent-soft' : undefined}
        trailing={
          draft !== '' && (
            <IconButton
              size="sm"
              label={t('Clear {label}', { label: lowerLabel(t, label) })}
              icon={<X size={14} />}
              onClick={clear}
            />
          )
        }
      />
      {error && (
        <span id={errorId} role="alert" className="text-sm text-danger">
          {error}
        </span>
      )}
    </span>
  );
}
