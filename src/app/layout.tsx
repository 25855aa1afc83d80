import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { getT, readLocale } from '@/lib/i18n/server';
import { TranslationProvider } from '@/lib/i18n/use-t';
import { parseTheme, THEME_COOKIE } from '@/ui/theme-cookie';
import { UiProvider } from '@/ui/ui-provider';
import { Providers } from './providers';
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

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  const locale = await readLocale();
  return (
    <html lang={locale} data-theme={theme}>
      <body>
        <Providers>
          <TranslationProvider locale={locale}>
            <UiProvider>{children}</UiProvider>
          </TranslationProvider>
        </Providers>
      </body>
    </html>
  );
}
