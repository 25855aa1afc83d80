'use client';
import { BookOpen, CircleUser, LogOut, Monitor, Moon, Search, Sun } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import type { Command } from '@/ui/command';
import { CommandPalette } from '@/ui/command-palette';
import { useRegisteredCommands } from '@/ui/command-registry';
import { Kbd } from '@/ui/kbd';
import { useModHotkey } from '@/ui/use-mod-hotkey';
import { useTheme } from '@/ui/use-theme';
import type { NavGroup } from './navigation';
import { useAddressSearch } from './use-address-search';

/** The palette with its button: addresses that were pasted first, the page's own commands, then the sections, then what always works. */
export function ShellPalette({ groups, onSignOut }: { groups: readonly NavGroup[]; onSignOut: () => void }) {
  const [open, setOpen] = useState(false);
  useModHotkey('k', () => setOpen((now) => !now));
  const router = useRouter();
  const [, setTheme] = useTheme();
  const offered = useRegisteredCommands();
  const { found, search, searching } = useAddressSearch();
  const commands = useMemo<Command[]>(
    () => [
      ...found,
      ...offered,
      ...groups.flatMap((group) =>
        group.entries.map(({ id, label, href, icon: Icon, keywords }) => ({
          id: `go.${id}`,
          label,
          group: 'Go to',
          keywords,
          icon: <Icon />,
          run: () => router.push(href),
        })),
      ),
      {
        id: 'go.account',
        label: 'Your account',
        group: 'Go to',
        keywords: ['password', 'sessions'],
        icon: <CircleUser />,
        run: () => router.push(paths.account()),
      },
      {
        id: 'go.reference',
        label: 'API reference',
        group: 'Go to',
        keywords: ['rest', 'openapi', 'curl', 'documentation', 'automation'],
        icon: <BookOpen />,
        run: () => router.push(paths.reference()),
      },
      {
        id: 'theme.light',
        label: 'Use the light theme',
        group: 'Interface',
        icon: <Sun />,
        run: () => setTheme('light'),
      },
      {
        id: 'theme.dark',
        label: 'Use the dark theme',
        group: 'Interface',
        icon: <Moon />,
        run: () => setTheme('dark'),
      },
      {
        id: 'theme.system',
        label: 'Use the theme of the system',
        group: 'Interface',
        icon: <Monitor />,
        run: () => setTheme('system'),
      },
      { id: 'sign-out', label: 'Sign out', group: 'Interface', icon: <LogOut />, run: onSignOut },
    ],
    [found, offered, groups, router, setTheme, onSignOut],
  );
  return (
    <>
      <button
        type="button"
        aria-label="Search pages and actions"
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen(true)}
        className={buttonClass({ variant: 'ghost', className: 'max-md:w-8 max-md:!px-0' })}
      >
        <Search size={16} aria-hidden />
        <span className="font-normal max-md:hidden">Search or jump to</span>
        <span className="flex gap-1 max-md:hidden" aria-hidden="true">
          <Kbd>Ctrl</Kbd>
          <Kbd>K</Kbd>
        </span>
      </button>
      <CommandPalette
        open={open}
        onOpenChange={(next) => {
          setOpen(next);
          search('');
        }}
        commands={commands}
        onQueryChange={search}
        searching={searching}
      />
    </>
  );
}
