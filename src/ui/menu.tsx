'use client';
import { Menu as Base } from '@base-ui/react/menu';
import clsx from 'clsx';
import { Check, Ellipsis } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from './button';
import { itemClass, OptionCount } from './option';

export type MenuEntry =
  | {
      kind?: 'action';
      id: string;
      label: string;
      icon?: ReactNode;
      onSelect: () => void;
      /** Why it is not possible now; shown in the entry. */
      disabledReason?: string | null | false;
      tone?: 'danger';
      shortcut?: ReactNode;
    }
  /** `render` is the link element of the router, without children. */
  | { kind: 'link'; id: string; label: string; icon?: ReactNode; render: ReactElement }
  | {
      kind: 'check';
      id: string;
      label: string;
      checked: boolean;
      onCheckedChange: (checked: boolean) => void;
      disabled?: boolean;
      count?: number | undefined;
    }
  | {
      kind: 'choice';
      id: string;
      label: string;
      value: string;
      options: readonly { value: string; label: string; icon?: ReactNode }[];
      onValueChange: (value: string) => void;
    }
  | { kind: 'group'; id: string; label: string; entries: readonly MenuEntry[] }
  | { kind: 'separator'; id: string };

type Props = {
  /** The button that opens it. */
  trigger: ReactElement;
  entries: readonly MenuEntry[];
  align?: 'start' | 'end';
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** Above the entries, for example who is signed in. */
  header?: ReactNode;
};

/** A list of actions behind a button. */
export function Menu({ trigger, entries, align = 'start', side = 'bottom', header }: Props) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} side={side} sideOffset={4} className="z-(--layer-overlay) outline-none">
          <Base.Popup className="popup max-h-(--available-height) min-w-44 max-w-80 overflow-y-auto p-1">
            {header && <div className="border-b px-2 py-1.5 [margin:-0.25rem_-0.25rem_0.25rem]">{header}</div>}
            <Entries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Entries({ entries }: { entries: readonly MenuEntry[] }) {
  // Labels start at one line, whether their entry has a mark or not.
  const marked = entries.some(
    (entry) => ('icon' in entry && entry.icon) || entry.kind === 'check' || entry.kind === 'choice',
  );
  return entries.map((entry) => <Entry key={entry.id} entry={entry} marked={marked} />);
}

function Entry({ entry, marked }: { entry: MenuEntry; marked: boolean }) {
  switch (entry.kind) {
    case 'separator':
      return <Base.Separator className="-mx-1 my-1 border-t" />;
    case 'group':
      return (
        <Base.Group>
          <Base.GroupLabel className="px-2 pt-1.5 pb-0.5 text-sm text-faint">{entry.label}</Base.GroupLabel>
          <Entries entries={entry.entries} />
        </Base.Group>
      );
    case 'check':
      return (
        <Base.CheckboxItem
          checked={entry.checked}
          onCheckedChange={entry.onCheckedChange}
          disabled={entry.disabled}
          className={itemClass}
        >
          <Tick shown={entry.checked} />
          {entry.label}
          <OptionCount count={entry.count} />
        </Base.CheckboxItem>
      );
    case 'choice':
      return (
        <Base.RadioGroup value={entry.value} onValueChange={entry.onValueChange}>
          <Base.GroupLabel className="px-2 pt-1.5 pb-0.5 text-sm text-faint">{entry.label}</Base.GroupLabel>
          {entry.options.map((option) => (
            <Base.RadioItem key={option.value} value={option.value} closeOnClick className={itemClass}>
              <Tick shown={option.value === entry.value} />
              <span className="flex-1">{option.label}</span>
              <span className="text-faint">{option.icon}</span>
            </Base.RadioItem>
          ))}
        </Base.RadioGroup>
      );
    case 'link':
      return (
        <Base.LinkItem render={entry.render} closeOnClick className={itemClass}>
          <Icon marked={marked}>{entry.icon}</Icon>
          {entry.label}
        </Base.LinkItem>
      );
    default:
      return (
        <Base.Item
          onClick={entry.onSelect}
          disabled={Boolean(entry.disabledReason)}
          className={clsx(itemClass, entry.tone === 'danger' && !entry.disabledReason && 'text-danger')}
        >
          <Icon marked={marked}>{entry.icon}</Icon>
          <span className="min-w-0 flex-1">
            <span className="block">{entry.label}</span>
            {entry.disabledReason && (
              <span className="block text-sm text-pretty text-faint">{entry.disabledReason}</span>
            )}
          </span>
          {entry.shortcut}
        </Base.Item>
      );
  }
}

function Icon({ marked, children }: { marked: boolean; children?: ReactNode }) {
  if (!marked) return null;
  return <span className="inline-flex w-4 shrink-0 justify-center [&>svg]:size-3.5">{children}</span>;
}

function Tick({ shown }: { shown: boolean }) {
  return (
    <span className="inline-flex w-4 shrink-0 justify-center text-accent">
      {shown && <Check size={14} aria-hidden />}
    </span>
  );
}

/** The menu at the end of a row. `name` tells which row: "Actions for web-01". */
export function RowActions({ name, entries }: { name: string; entries: readonly MenuEntry[] }) {
  const t = useT();
  return (
    <Menu
      align="end"
      entries={entries}
      trigger={<IconButton size="sm" label={t('Actions for {name}', { name })} icon={<Ellipsis size={14} />} />}
    />
  );
}
