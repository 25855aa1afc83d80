'use client';
import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

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

/** Parts of one page, one at a time. The open one belongs to the caller (in the URL). */
export function Tabs({ label, value, onValueChange, tabs }: Props) {
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onValueChange(String(next))}
      className="flex min-h-0 min-w-0 flex-1 flex-col gap-3"
    >
      <Base.List
        aria-label={label}
        className="relative flex shrink-0 gap-1 overflow-x-auto border-b [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="inline-flex h-8 shrink-0 select-none items-center gap-1.5 rounded-t-md px-2.5 text-muted -outline-offset-2 hover:text-text data-active:font-medium data-active:text-text"
          >
            {tab.label}
            {tab.count !== undefined && tab.count !== null && (
              <span className="rounded-sm bg-surface-3 px-1 text-sm text-muted tabular-nums">{tab.count}</span>
            )}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-text transition-[translate,width] duration-100" />
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          className="flex min-h-0 min-w-0 flex-1 flex-col gap-4 rounded-md [&[hidden]]:hidden"
        >
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
