'use client';
import { Menu as Base } from '@base-ui/react/menu';
import clsx from 'clsx';
import { Check } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { MenuEntry, MenuProps } from './menu';
import { itemClass } from './option';
import { type Press, pressAgain } from './press';

/** The menu with its button, opened by the press that it was loaded for. */
export function MenuPopup({
  trigger,
  entries,
  align = 'start',
  side = 'bottom',
  header,
  press,
}: MenuProps & { press: Press }) {
  const button = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one press, when it is mounted.
  useEffect(() => pressAgain(button.current, press), []);
  return (
    <Base.Root>
      <Base.Trigger ref={button} render={trigger} />
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
