import type { Metadata } from 'next';
import { PolicyList } from '@/features/policies/policy-list';

export const metadata: Metadata = { title: 'Policies' };

export default function PoliciesPage() {
  return <PolicyList />;
}
