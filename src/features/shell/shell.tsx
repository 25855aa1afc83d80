'use client';
import { FlaskConical } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { CommandRegistry } from '@/ui/command-registry';
import { loadLater } from '@/ui/load-on-opening';
import { PageTrailProvider } from '@/ui/page-trail';
import { loadPartsOnArrival } from '@/ui/part';
import { Tooltip } from '@/ui/tooltip';
import { AccountMenu } from './account-menu';
import { Breadcrumbs } from './breadcrumbs';
import { CopyAsCurl } from './copy-as-curl';
import { LostStepBack } from './lost-step-back';
import { MobileNav } from './mobile-nav';
import { findSection, visibleNavigation } from './navigation';
import { NotificationBell } from './notification-bell';
import { useRecentThings } from './recent-things';
import { ShellPalette } from './shell-palette';
import { Sidebar } from './sidebar';
import { useShortcuts } from './use-shortcuts';

/** Few ever see it: it is loaded when it is needed. */
const ShortcutsDialog = loadLater(() => import('./shortcuts-dialog').then((module) => module.ShortcutsDialog));
/** Only while a change waits. */
const AwaitingBanner = loadLater(() =>
  import('../shared/changes/awaiting-banner').then((module) => module.AwaitingBanner),
);
const Forbidden = loadLater(() => import('../shared/forbidden').then((module) => module.Forbidden));

export type ShellUser = {
  /** May be empty; the address is shown then. */
  name: string;
  email: string;
  /** Titles of the roles, or a sentence when there is none. */
  role: string;
};

type Props = {
  user: ShellUser;
  /** Permissions that are effective somewhere; `*` for all. */
  permissions: readonly string[];
  /** What this installation shows is made up, and every page says so. */
  demo?: boolean;
  onSignOut: () => void;
  children: ReactNode;
};

/**
 * The frame of the console: sections at the left, a bar at the top, the page below it. Pages fill the space with
 * `flex flex-col gap-4`; a `DataTable` takes what is left of the height.
 */
export function Shell({ user, permissions, demo = false, onSignOut, children }: Props) {
  const t = useT();
  useEffect(loadPartsOnArrival, []);
  const groups = useMemo(() => visibleNavigation(permissions), [permissions]);
  const session = useSession();
  useRecentThings(session.status === 'signed_in' ? session.user.id : null);
  const [shortcuts, setShortcuts] = useState(false);
  const showShortcuts = useCallback(() => setShortcuts(true), []);
  useShortcuts(groups, showShortcuts);
  return (
    <CommandRegistry>
      <PageTrailProvider>
        <LostStepBack />
        <div className="group/page flex h-dvh print:block print:h-auto">
          <a
            href="#main"
            className="popup fixed top-2 left-2 z-(--layer-toast) -translate-y-20 px-3 py-1.5 focus:translate-y-0"
          >
            {t('Skip to content')}
          </a>
          <Sidebar groups={groups} />
          <div className="flex min-w-0 flex-1 flex-col">
            <header className="flex h-11 shrink-0 items-center gap-2 border-b px-4 print:hidden">
              <MobileNav groups={groups} />
              <Breadcrumbs />
              {demo && <DemoMark />}
              <ShellPalette groups={groups} onSignOut={onSignOut} onShowShortcuts={showShortcuts} />
              <NotificationBell />
              {/* No call answers a page that is not permitted. */}
              <div className="contents group-has-[[data-forbidden]]/page:hidden">
                <CopyAsCurl />
              </div>
              <AccountMenu user={user} onSignOut={onSignOut} onShowShortcuts={showShortcuts} />
            </header>
            {(permissions.includes('*') || permissions.includes('policy:write')) && <AwaitingBanner />}
            <main
              id="main"
              tabIndex={-1}
              className="flex min-h-0 flex-1 flex-col overflow-y-auto outline-none print:overflow-visible"
            >
              <div className="flex min-h-full min-w-0 shrink-0 flex-col gap-4 p-4">
                <SectionGate permissions={permissions}>{children}</SectionGate>
              </div>
            </main>
          </div>
        </div>
        {shortcuts && <ShortcutsDialog groups={groups} onClose={() => setShortcuts(false)} />}
      </PageTrailProvider>
    </CommandRegistry>
  );
}

/** Shown on every page of a demo, so that no one mistakes it for a real installation. */
function DemoMark() {
  const t = useT();
  const explanation = t(
    'Clusters, traffic and incidents in this installation are simulated. No hypervisor is involved.',
  );
  return (
    <Tooltip content={explanation} side="bottom" openOnTap>
      <button
        type="button"
        aria-label={`${t('Demo')}. ${explanation}`}
        className="flex h-6 shrink-0 items-center rounded-sm"
      >
        <Badge tone="warn" icon={<FlaskConical size={12} aria-hidden />}>
          {t('Demo')}
        </Badge>
      </button>
    </Tooltip>
  );
}

/**
 * Shows the page only if the user holds the permission of its section anywhere; otherwise what is missing, without the page's
 * actions. The start page finds another section itself. The service decides again at every request.
 */
function SectionGate({ permissions, children }: Pick<Props, 'permissions' | 'children'>) {
  const pathname = usePathname();
  const section = pathname === paths.home() ? undefined : findSection(pathname);
  if (section && !permissions.includes('*') && !permissions.includes(section.permission)) {
    return <Forbidden permission={section.permission} />;
  }
  return children;
}
