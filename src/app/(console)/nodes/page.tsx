import type { Metadata } from 'next';
import { NodeList } from '@/features/nodes/node-list';

export const metadata: Metadata = { title: 'Nodes' };

export default function NodesPage() {
  return <NodeList />;
}
