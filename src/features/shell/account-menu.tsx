'use client';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { buttonClass } from '@/ui/button-class';
import { part, usePart } from '@/ui/part';
import { type Press, PressedButton } from '@/ui/press';
import type { ShellUser } from './shell';

export type AccountMenuProps = { user: ShellUser; onSignOut: () => void; onShowShortcuts: () => void };

const popup = part(() => import('./account-popup'));

/** The menu of the user who is signed in, behind their initials. */
export function AccountMenu(props: AccountMenuProps) {
  const { name, email } = props.user;
  const t = useT();
  const [press, setPress] = useState<Press | null>(null);
  const Popup = usePart(popup, press !== null)?.AccountPopup;
  const trigger = (
    <button
      type="button"
      aria-label={t('Account of {name}', { name: name || email })}
      className={buttonClass({ variant: 'ghost', square: true })}
    >
      <Avatar name={name} email={email} />
    </button>
  );
  if (Popup && press) return <Popup {...props} trigger={trigger} press={press} />;
  return <PressedButton of={trigger} kind="menu" onReach={popup.load} onPress={setPress} />;
}

/** The initials of a person; decoration beside the name. */
function Avatar({ name, email }: { name: string; email: string }) {
  return (
    <span
      aria-hidden="true"
      className="inline-flex size-6 shrink-0 select-none items-center justify-center rounded-full bg-surface-3 text-sm font-semibold text-muted"
    >
      {getInitials(name, email)}
    </span>
  );
}

/** One or two capital letters for a person: of first and last name, else of the address. */
export function getInitials(name: string, email: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const source = words.length > 0 ? words : [email.trim()];
  const letters = [source[0], source.length > 1 ? source.at(-1) : undefined];
  const text = letters.map((word) => Array.from(word ?? '')[0] ?? '').join('');
  return text.toLocaleUpperCase('en') || '?';
}
