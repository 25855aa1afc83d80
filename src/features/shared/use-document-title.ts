'use client';
import { useEffect } from 'react';

/** Names the browser tab after the thing that is shown, once it is known. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = `${title} · Fabric`;
  }, [title]);
}
