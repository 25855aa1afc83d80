'use client';
import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useRef } from 'react';

/** A page that is slow, but on its way, is there by then (ms). */
const PATIENCE_MS = 2_000;

/** A page and its search, however it is spelled. */
const toCanonicalUrl = (pathname: string, search: string) => `${pathname}?${new URLSearchParams(search)}`;
const readAddress = () => toCanonicalUrl(location.pathname, location.search);

/**
 * Reloads the page when it does not follow the browser's history. Next (16.4) loses a history step that comes while
 * its server request for the previous one is pending, as after a reload and two quick steps back: the address changes,
 * but the list keeps the previous filter whatever happens to the address then.
 */
export function LostStepBack() {
  const shown = toCanonicalUrl(usePathname(), useSearchParams().toString());
  const latest = useRef(shown);
  useEffect(() => {
    latest.current = shown;
  }, [shown]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      clearTimeout(timer);
      const asked = readAddress();
      timer = setTimeout(() => {
        if (latest.current === readAddress()) return;
        // What was chosen since then is on its way, too.
        if (asked === readAddress()) location.reload();
        else follow();
      }, PATIENCE_MS);
    };
    window.addEventListener('popstate', follow);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  return null;
}
