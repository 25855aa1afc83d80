import type { Metadata } from 'next';
import { Home } from './home';

export const metadata: Metadata = { title: 'Dashboard' };

export default function HomePage() {
  return <Home />;
}
