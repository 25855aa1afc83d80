'use client';
import { Check, SquareTerminal } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { Suspense, useEffect, useState } from 'react';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { part } from '@/ui/part';

/** Pages that show nothing that the API would answer with one call by its address: forms, questions, the account, pages for people only. */
export const WITHOUT_CALL = [
  '/account',
  '/addresses/import',
  '/jobs',
  '/policies/new',
  '/reach',
  '/reference',
  '/suggestions/new',
];

const command = part(() => import('./page-calls'));

const LABELS = {
  idle: msg('Copy as curl'),
  copied: msg('Copied'),
  blocked: msg('The browser blocks copying here'),
  failed: msg('Could not copy'),
  none: msg('No API call for this page'),
};

function CopyButton() {
  const t = useT();
  const pathname = usePathname();
  const search = useSearchParams();
  const [state, setState] = useState<keyof typeof LABELS>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  if (WITHOUT_CALL.includes(pathname)) return null;
  const copy = async (): Promise<keyof typeof LABELS> => {
    // Loaded since the pointer reached the page: browsers allow to copy only right after a press.
    const { formatPageCommand: commandOfPage } = command.now() ?? (await command.load());
    const text = commandOfPage(pathname, search, window.location.origin);
    if (text === null) return 'none';
    // Absent on plain HTTP outside localhost.
    if (!navigator.clipboard) return 'blocked';
    return navigator.clipboard.writeText(text).then(
      () => 'copied',
      () => 'blocked',
    );
  };
  return (
    <>
      <IconButton
        label={t(LABELS[state === 'copied' ? 'idle' : state])}
        icon={state === 'copied' ? <Check size={16} className="text-ok" /> : <SquareTerminal size={16} />}
        onClick={() => copy().then(setState, () => setState('failed'))}
      />
      <span className="sr-only" role="status">
        {state === 'idle' ? '' : t(LABELS[state])}
      </span>
    </>
  );
}

/** What the page shows, with its search and filters, as a command for a shell. Not shown where no call answers it. */
export function CopyAsCurl() {
  return (
    <Suspense>
      <CopyButton />
    </Suspense>
  );
}
