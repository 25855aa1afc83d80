'use client';
import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useState } from 'react';

/** Before a page is left by a key or a command; what guards input prevents it. */
const LEAVING = 'fabric:leaving';

/** Opens another page from outside of the present one, as a link of it does: unsaved input is asked about first. */
export function useGuardedPush(): (href: string) => void {
  const router = useRouter();
  return useCallback(
    (href) => {
      if (window.dispatchEvent(new CustomEvent(LEAVING, { cancelable: true, detail: href }))) router.push(href);
    },
    [router],
  );
}

/**
 * Asks before input is lost: on links of the page, on keys and commands that open another page, and by the browser's own prompt when
 * the tab closes or reloads.
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
    const onLeaving = (event: Event) => {
      if (!(event instanceof CustomEvent)) return;
      event.preventDefault();
      setLeaving(event.detail);
    };
    window.addEventListener('beforeunload', onBeforeUnload);
    window.addEventListener(LEAVING, onLeaving);
    // Before the router's own handler.
    document.addEventListener('click', onClick, { capture: true });
    return () => {
      window.removeEventListener('beforeunload', onBeforeUnload);
      window.removeEventListener(LEAVING, onLeaving);
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
