'use client';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';

/**
 * Asks before input is lost: on links of the page, and by the browser's own prompt when the tab closes or reloads.
 * `leaving` is the address the user wants to open; `leave` goes there, `stay` discards it.
 */
export function useUnsavedGuard(dirty: boolean) {
  const router = useRouter();
  const [leaving, setLeaving] = useState<string | null>(null);
  useEffect(() => {
    if (!dirty) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      if (!(link instanceof HTMLAnchorElement) || link.target === '_blank' || link.origin !== location.origin) return;
      // Same page: a jump inside it loses nothing.
      if (link.pathname === location.pathname && link.hash !== '') return;
      event.preventDefault();
      event.stopPropagation();
      setLeaving(link.pathname + link.search + link.hash);
    };
    window.addEventListener('beforeunload', onBeforeUnload);
    // Before the router's own handler.
    document.addEventListener('click', onClick, { capture: true });
    return () => {
      window.removeEventListener('beforeunload', onBeforeUnload);
      document.removeEventListener('click', onClick, { capture: true });
    };
  }, [dirty]);
  return {
    leaving,
    /** For buttons that lead away: asks when something would be lost, else goes. */
    go: (href: string) => (dirty ? setLeaving(href) : router.push(href)),
    stay: () => setLeaving(null),
    leave: () => {
      if (leaving === null) return;
      setLeaving(null);
      router.push(leaving);
    },
  };
}
