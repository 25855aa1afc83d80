'use client';
import { CSPProvider } from '@base-ui/react/csp-provider';
import type { ReactNode } from 'react';
import { Toaster } from './toast';
import { TruncationTooltip } from './truncation-tooltip';

/** What the components expect around them, once, in the root layout. Base UI's own <style> tags are off: theme.css has them. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      <div className="app-root">{children}</div>
      <Toaster />
      <TruncationTooltip />
    </CSPProvider>
  );
}
