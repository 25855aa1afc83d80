'use client';
import { BookOpen, CircleUser, Keyboard, Languages, LogOut, Monitor, Moon, Plus, Settings, Sun } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { LOCALE_NAMES, LOCALES } from '@/lib/i18n/locales';
import { msg } from '@/lib/i18n/translator';
import { changeLocale, useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { type Command, useRegisteredCommands } from '@/ui/command-registry';
import { useTheme } from '@/ui/use-theme';
import { usePermissions } from '../shared/use-permissions';
import { useGuardedPush } from '../shared/use-unsaved-guard';
import type { NavGroup } from './navigation';
import { ACTIONS, type Place, SETTINGS } from './settings-commands';

export type ShellCommandsProps = {
  groups: readonly NavGroup[];
  onSignOut: () => void;
  onShowShortcuts: () => void;
};

/** Commands that need no search: those of the page, then actions, pages and settings, then what always works. */
export function useShellCommands({ groups, onSignOut, onShowShortcuts }: ShellCommandsProps): readonly Command[] {
  const t = useT();
  const push = useGuardedPush();
  const [, setTheme] = useTheme();
  const { can } = usePermissions();
  const offered = useRegisteredCommands();
  const places = [...ACTIONS, ...SETTINGS].filter(({ permission }) => permission === undefined || can(permission));
  const allowed = places.map(({ id }) => id).join();
  return useMemo<Command[]>(() => {
    // Who works in another language may still know the English word.
    const inBoth = (...texts: (string | undefined)[]) =>
      texts.flatMap((text) => (text === undefined ? [] : [text, t(text)]));
    const placed = (places: readonly Place[], kind: string, group: string, icon: ReactNode) =>
      places
        .filter(({ id }) => allowed.split(',').includes(id))
        .map(({ id, label, page, href, keywords }) => ({
          id: `${kind}.${id}`,
          label: t(label),
          hint: t(page),
          group,
          keywords: inBoth(label, page, keywords),
          icon,
          run: () => push(href),
        }));
    return [
      ...offered,
      ...placed(ACTIONS, 'action', t('Actions'), <Plus />),
      ...groups.flatMap((group) =>
        group.entries.map(({ id, label, href, icon: Icon, keywords, key }) => ({
          id: `go.${id}`,
          label: t(label),
          group: t('Go to'),
          keywords: inBoth(label, keywords),
          hint: `g ${key}`,
          icon: <Icon />,
          run: () => push(href),
        })),
      ),
      {
        id: 'go.account',
        label: t('Your account'),
        group: t('Go to'),
        keywords: inBoth(msg('Your account'), msg('password sessions')),
        icon: <CircleUser />,
        run: () => push(paths.account()),
      },
      {
        id: 'go.reference',
        label: t('API reference'),
        group: t('Go to'),
        keywords: inBoth(msg('API reference'), msg('rest openapi curl documentation automation')),
        icon: <BookOpen />,
        run: () => push(paths.reference()),
      },
      ...placed(SETTINGS, 'setting', t('Settings'), <Settings />),
      {
        id: 'shortcuts',
        label: t('Keyboard shortcuts'),
        hint: '?',
        group: t('Help'),
        keywords: inBoth(msg('Keyboard shortcuts'), msg('keys hotkeys help')),
        icon: <Keyboard />,
        run: onShowShortcuts,
      },
      ...(
        [
          ['light', t('Use light theme'), <Sun key="light" />],
          ['dark', t('Use dark theme'), <Moon key="dark" />],
          ['system', t('Use system theme'), <Monitor key="system" />],
        ] as const
      ).map(([theme, label, icon]) => ({
        id: `theme.${theme}`,
        label,
        group: t('Account'),
        icon,
        run: () => setTheme(theme),
      })),
      ...LOCALES.filter((locale) => locale !== t.locale).map((locale) => ({
        id: `language.${locale}`,
        label: LOCALE_NAMES[locale],
        hint: t('Language'),
        group: t('Account'),
        keywords: inBoth(msg('Language')),
        icon: <Languages />,
        run: () => changeLocale(locale),
      })),
      {
        id: 'sign-out',
        label: t('Sign out'),
        group: t('Account'),
        keywords: inBoth(msg('Sign out'), msg('log out logout leave')),
        icon: <LogOut />,
        run: onSignOut,
      },
    ];
  }, [t, offered, groups, push, setTheme, allowed, onSignOut, onShowShortcuts]);
}
