'use client';
import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from './button';
import { focusList, Kbd, useSingleKeySwitch, useSingleKeys } from './keys';
import { TextInput } from './text-input';

const DELAY_MS = 250;

type Props = {
  /** What is searched: "Search workloads". */
  label: string;
  value: string;
  /** Called a moment after the last key, and immediately for Enter and clearing. */
  onValueChange: (value: string) => void;
  className?: string;
};

/** The search of a page. `/` focuses it from anywhere, Esc empties it, arrow down leads to the rows. */
export function SearchBox({ label, value, onValueChange, className }: Props) {
  const t = useT();
  const ref = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(value);
  // The URL changed by another way: back button, "clear filters".
  const [settled, setSettled] = useState(value);
  if (value !== settled) {
    setSettled(value);
    setDraft(value);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const [slash] = useSingleKeySwitch();
  useSingleKeys((event) => {
    // Behind an open dialog the page is inert.
    if (event.key !== '/' || ref.current?.closest('[inert], [aria-hidden="true"]')) return;
    event.preventDefault();
    ref.current?.focus();
    ref.current?.select();
  });
  const commit = (text: string) => {
    clearTimeout(timer.current);
    const next = text.trim();
    setSettled(next);
    if (next !== value) onValueChange(next);
  };
  const change = (text: string) => {
    setDraft(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(text), DELAY_MS);
  };
  const clear = () => {
    setDraft('');
    commit('');
  };
  return (
    <TextInput
      ref={ref}
      role="searchbox"
      aria-label={label}
      aria-keyshortcuts={slash ? '/' : undefined}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={draft}
      onChange={(event) => change(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit(draft);
        if (event.key === 'ArrowDown' && focusList()) event.preventDefault();
        if (event.key === 'Escape' && draft !== '') {
          event.stopPropagation();
          clear();
        }
      }}
      className={className}
      leading={<Search size={14} aria-hidden />}
      trailing={
        draft === '' ? (
          slash && (
            <span aria-hidden className="max-md:hidden">
              <Kbd>/</Kbd>
            </span>
          )
        ) : (
          <IconButton size="sm" label={t('Clear search')} icon={<X size={14} />} onClick={clear} />
        )
      }
    />
  );
}
