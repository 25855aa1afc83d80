'use client';
import { BookOpen, CircleUser, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import Link from 'next/link';
import { paths } from '@/lib/paths';
import { Avatar } from '@/ui/avatar';
import { buttonClass } from '@/ui/button-class';
import { Menu } from '@/ui/menu';
import { parseTheme } from '@/ui/theme-cookie';
import { useTheme } from '@/ui/use-theme';
import type { ShellUser } from './shell';

const THEME_OPTIONS = [
  { value: 'light', label: 'Light', icon: <Sun size={14} /> },
  { value: 'dark', label: 'Dark', icon: <Moon size={14} /> },
  { value: 'system', label: 'As the system', icon: <Monitor size={14} /> },
];

/** Who is signed in, the theme, and the way out. */
export function AccountMenu({ user, onSignOut }: { user: ShellUser; onSignOut: () => void }) {
  const [theme, setTheme] = useTheme();
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          aria-label={`Account of ${user.name || user.email}`}
          className={buttonClass({ variant: 'ghost', square: true })}
        >
          <Avatar name={user.name} email={user.email} />
        </button>
      }
      header={
        <>
          <p className="truncate font-medium">{user.name || user.email}</p>
          {user.name && <p className="truncate text-muted">{user.email}</p>}
          <p className="text-sm text-pretty text-faint">{user.role}</p>
        </>
      }
      entries={[
        {
          kind: 'choice',
          id: 'theme',
          label: 'Theme',
          value: theme,
          options: THEME_OPTIONS,
          onValueChange: (value) => setTheme(parseTheme(value)),
        },
        { kind: 'separator', id: 'separator' },
        {
          kind: 'link',
          id: 'account',
          label: 'Your account',
          icon: <CircleUser />,
          render: <Link href={paths.account()} />,
        },
        {
          kind: 'link',
          id: 'reference',
          label: 'API reference',
          icon: <BookOpen />,
          render: <Link href={paths.reference()} />,
        },
        { id: 'sign-out', label: 'Sign out', icon: <LogOut />, onSelect: onSignOut },
      ]}
    />
  );
}
