'use client';
import { BookOpen, CircleUser, Languages, LogOut, Monitor, Moon, Search, Sun } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { LOCALE_NAMES, LOCALES } from '@/lib/i18n/locales';
import { changeLocale, useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { CommandPalette } from '@/ui/command-palette';
import { type Command, useRegisteredCommands } from '@/ui/command-registry';
import { Kbd, useModHotkey } from '@/ui/keys';
import { useTheme } from '@/ui/use-theme';
import type { NavGroup } from './navigation';
import { useAddressSearch } from './use-address-search';

/** The palette with its button: addresses that were pasted first, the page's own commands, then the sections, then what always works. */
export function ShellPalette({ groups, onSignOut }: { groups: readonly NavGroup[]; onSignOut: () => void }) {
  const t = useT();
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
          label: t(label),
          group: t('Go to'),
          // Who works in another language may still know the English word.
          keywords: [label, ...(keywords ? [keywords, t(keywords)] : [])],
          icon: <Icon />,
          run: () => router.push(href),
        })),
      ),
      {
        id: 'go.account',
        label: t('Your account'),
        group: t('Go to'),
        keywords: [t('password sessions')],
        icon: <CircleUser />,
        run: () => router.push(paths.account()),
      },
      {
        id: 'go.reference',
        label: t('API reference'),
        group: t('Go to'),
        keywords: [t('rest openapi curl documentation automation')],
        icon: <BookOpen />,
        run: () => router.push(paths.reference()),
      },
      {
        id: 'theme.light',
        label: t('Use light theme'),
        group: t('Account'),
        icon: <Sun />,
        run: () => setTheme('light'),
      },
      {
        id: 'theme.dark',
        label: t('Use dark theme'),
        group: t('Account'),
        icon: <Moon />,
        run: () => setTheme('dark'),
      },
      {
        id: 'theme.system',
        label: t('Use system theme'),
        group: t('Account'),
        icon: <Monitor />,
        run: () => setTheme('system'),
      },
      ...LOCALES.filter((locale) => locale !== t.locale).map((locale) => ({
        id: `language.${locale}`,
        label: LOCALE_NAMES[locale],
        hint: t('Language'),
        group: t('Account'),
        keywords: ['language', t('Language')],
        icon: <Languages />,
        run: () => changeLocale(locale),
      })),
      { id: 'sign-out', label: t('Sign out'), group: t('Account'), icon: <LogOut />, run: onSignOut },
    ],
    [t, found, offered, groups, router, setTheme, onSignOut],
  );
  return (
    <>
      <button
        type="button"
        aria-label={t('Search pages and actions')}
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen(true)}
        className={buttonClass({ variant: 'ghost', className: 'max-md:w-8 max-md:!px-0' })}
      >
        <Search size={16} aria-hidden />
        <span className="font-normal max-md:hidden">{t('Search or jump to')}</span>
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
