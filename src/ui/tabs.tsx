'use client';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { formatCount } from '@/lib/format';
import { rovingIndex } from './roving-index';

type Tab = {
  value: string;
  label: string;
  /** A figure after the label; null while it is not known. */
  count?: number | null;
  /** Rendered only while the tab is open. */
  content: ReactNode;
};

type Props = {
  /** Accessible name of the list of tabs. */
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  tabs: readonly Tab[];
};

/** Parts of one page, one at a time. The open one belongs to the caller (in the URL). Arrow keys move, Enter opens. */
export function Tabs({ label, value, onValueChange, tabs }: Props) {
  const id = useId();
  const [focused, setFocused] = useState<string | null>(null);
  const open = tabs.find((tab) => tab.value === value);
  const reached = tabs.some((tab) => tab.value === focused) ? focused : (open ?? tabs[0])?.value;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabs.findIndex((tab) => tab.value === reached);
    const next = rovingIndex(event.key, at, tabs.length, true);
    if (next === null) return;
    event.preventDefault();
    (event.currentTarget.children[next] as HTMLElement).focus();
  };
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-3">
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        onBlur={() => setFocused(null)}
        className="relative flex shrink-0 gap-1 overflow-x-auto border-b [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-tab-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={tab.value === value ? `${id}-panel` : undefined}
            data-active={tab.value === value ? '' : undefined}
            tabIndex={tab.value === reached ? 0 : -1}
            onFocus={() => setFocused(tab.value)}
            onClick={() => onValueChange(tab.value)}
            className="inline-flex h-8 shrink-0 select-none items-center gap-1.5 rounded-t-md border-b-2 border-transparent px-2.5 text-muted -outline-offset-2 hover:text-text data-active:border-text data-active:font-medium data-active:text-text"
          >
            {tab.label}
            {tab.count !== undefined && tab.count !== null && (
              <span className="rounded-sm bg-surface-3 px-1 text-sm text-muted tabular-nums">
                {formatCount(tab.count)}
              </span>
            )}
          </button>
        ))}
      </div>
      {open && (
        <div
          key={open.value}
          role="tabpanel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-tab-${open.value}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel without controls is reached all the same.
          tabIndex={0}
          className="flex min-h-0 min-w-0 flex-1 flex-col gap-4 rounded-md"
        >
          {open.content}
        </div>
      )}
    </div>
  );
}
