import type { Metadata } from 'next';
import { KitPage } from './kit-page';

export const metadata: Metadata = { title: 'Component kit' };

/** Every component in every state, for looking at and for screenshots. It holds no data and is linked from nowhere. */
export default function Page() {
  return <KitPage />;
}
