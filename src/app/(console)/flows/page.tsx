import type { Metadata } from 'next';
import { FlowExplorer } from '@/features/flows/flow-explorer';

export const metadata: Metadata = { title: 'Flows' };

export default function FlowsPage() {
  return <FlowExplorer />;
}
