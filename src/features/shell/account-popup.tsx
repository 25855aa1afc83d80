'use client';
import { BookOpen, CircleUser, Keyboard, KeyRound, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { LOCALE_NAMES, LOCALES } from '@/lib/i18n/locales';
import { changeLocale, useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { setTimeDisplay, TIME_STYLES, TIME_ZONES, useTimeDisplay } from '@/lib/time/time-display';
import { Link } from '@/ui/link';
import type { MenuProps } from '@/ui/menu';
import { MenuPopup } from '@/ui/menu-popup';
import type { Press } from '@/ui/press';
import { parseTheme } from '@/ui/theme-cookie';
import { useTheme } from '@/ui/use-theme';
import type { AccountMenuProps } from './account-menu';

type Props = AccountMenuProps & { trigger: MenuProps['trigger']; press: Press };

/** What the menu contains: who is signed in, theme, display of times and language, help, and signing out. */
export function AccountPopup({ user, onSignOut, onShowShortcuts, trigger, press }: Props) {
  const t = useT();
  const [theme, setTheme] = useTheme();
  const { zone, style } = useTimeDisplay();
  return (
    <MenuPopup
      align="end"
      trigger={trigger}
      press={press}
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
          label: t('Theme'),
          value: theme,
          options: [
            { value: 'light', label: t('Light'), icon: <Sun size={14} /> },
            { value: 'dark', label: t('Dark'), icon: <Moon size={14} /> },
            { value: 'system', label: t('System'), icon: <Monitor size={14} /> },
          ],
          onValueChange: (value) => setTheme(parseTheme(value)),
        },
        {
          kind: 'choice',
          id: 'time',
          label: t('Times'),
          value: style,
          options: [
            { value: 'relative', label: t('Relative: 5 min ago') },
            { value: 'absolute', label: t('Absolute: date and time') },
          ],
          onValueChange: (value) => setTimeDisplay({ style: TIME_STYLES.find((one) => one === value) }),
        },
        {
          kind: 'choice',
          id: 'zone',
          label: t('Time zone'),
          value: zone,
          options: [
            { value: 'local', label: t('Local: {zone}', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone }) },
            { value: 'utc', label: t('UTC') },
          ],
          onValueChange: (value) => setTimeDisplay({ zone: TIME_ZONES.find((one) => one === value) }),
        },
        {
          kind: 'choice',
          id: 'language',
          label: t('Language'),
          value: t.locale,
          options: LOCALES.map((locale) => ({ value: locale, label: LOCALE_NAMES[locale] })),
          onValueChange: (value) => {
            const chosen = LOCALES.find((locale) => locale === value);
            if (chosen) changeLocale(chosen);
          },
        },
        { kind: 'separator', id: 'separator' },
        {
          kind: 'link',
          id: 'account',
          label: t('Your account'),
          icon: <CircleUser />,
          render: <Link href={paths.account()} />,
        },
        {
          kind: 'link',
          id: 'tokens',
          label: t('API tokens'),
          icon: <KeyRound />,
          render: <Link href={paths.account({ tab: 'tokens' })} />,
        },
        {
          kind: 'link',
          id: 'reference',
          label: t('API reference'),
          icon: <BookOpen />,
          render: <Link href={paths.reference()} />,
        },
        { id: 'shortcuts', label: t('Keyboard shortcuts'), icon: <Keyboard />, onSelect: onShowShortcuts },
        { id: 'sign-out', label: t('Sign out'), icon: <LogOut />, onSelect: onSignOut },
      ]}
    />
  );
}
