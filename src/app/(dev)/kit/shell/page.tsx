import type { Metadata } from 'next';
import { KitShell } from './kit-shell';

export const metadata: Metadata = { title: 'Shell' };

/** The console's frame around a list, with an invented user. */
export default function Page() {
  return <KitShell />;
}
