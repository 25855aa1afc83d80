'use client';
import { Ellipsis } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from './button';
import { part, usePart } from './part';
import { type Press, PressedButton } from './press';

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

export type MenuProps = {
  /** The button that opens it. */
  trigger: ReactElement;
  entries: readonly MenuEntry[];
  align?: 'start' | 'end';
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** Above the entries, for example who is signed in. */
  header?: ReactNode;
};

const popup = part(() => import('./menu-popup'));

/** A list of actions behind a button. The list is loaded when the button is reached, and opens with the first press. */
export function Menu(props: MenuProps) {
  const [press, setPress] = useState<Press | null>(null);
  const Popup = usePart(popup, press !== null)?.MenuPopup;
  if (Popup && press) return <Popup {...props} press={press} />;
  return <PressedButton of={props.trigger} kind="menu" onReach={popup.load} onPress={setPress} />;
}

/** The menu at the end of a row. `name` identifies the row: "Actions for web-01". */
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
