import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import type { ReactNode } from 'react';
import { earlyRefreshScript } from '@/lib/early-refresh';
import { getT, readLocale } from '@/lib/i18n/server';
import { TranslationProvider } from '@/lib/i18n/use-t';
import { TAB_LOCK } from '@/lib/tab-lock';
import { DataProvider } from '@/lib/trpc';
import { parseTheme, THEME_COOKIE } from '@/ui/theme-cookie';
import { UiProvider } from '@/ui/ui-provider';
import './globals.css';

export async function generateMetadata(): Promise<Metadata> {
  const t = await getT();
  return {
    title: { default: 'Fabric', template: '%s · Fabric' },
    description: t('View and control the virtual networks of Proxmox VE clusters.'),
    robots: { index: false, follow: false },
  };
}

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  colorScheme: 'light dark',
};

const EARLY_REFRESH = earlyRefreshScript(TAB_LOCK);

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  const locale = await readLocale();
  // The HTTP entry puts the policy on the request as well.
  const nonce = /'nonce-([^']+)'/.exec((await headers()).get('content-security-policy') ?? '')?.[1];
  return (
    <html lang={locale} data-theme={theme}>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, marked with the nonce of this answer. */}
        <script nonce={nonce} dangerouslySetInnerHTML={{ __html: EARLY_REFRESH }} suppressHydrationWarning />
      </head>
      <body>
        <DataProvider>
          <TranslationProvider locale={locale}>
            <UiProvider>{children}</UiProvider>
          </TranslationProvider>
        </DataProvider>
      </body>
    </html>
  );
}
