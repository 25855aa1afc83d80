'use client';
import { Check, SquareTerminal } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { Suspense, useEffect, useState } from 'react';
import { curlCommand } from '@/lib/curl-command';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { callOfPage } from './page-calls';

function CopyButton() {
  const t = useT();
  const pathname = usePathname();
  const search = useSearchParams();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  if (callOfPage(pathname, search, 0) === null) return null;
  const copy = () => {
    // Absent on plain HTTP outside localhost.
    if (!navigator.clipboard) return setState('failed');
    const path = callOfPage(pathname, search, Date.now()) ?? '';
    navigator.clipboard.writeText(curlCommand({ method: 'GET', path }, window.location.origin)).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  return (
    <>
      <IconButton
        label={state === 'failed' ? t('The browser blocks copying here') : t('Copy as curl')}
        icon={state === 'copied' ? <Check size={16} className="text-ok" /> : <SquareTerminal size={16} />}
        onClick={copy}
      />
      <span className="sr-only" role="status">
        {state === 'copied' ? t('Copied') : state === 'failed' ? t('Could not copy') : ''}
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
