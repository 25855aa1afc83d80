import type { Metadata } from 'next';
import { PolicyEditor } from '@/features/policies/editor/policy-editor';

export const metadata: Metadata = { title: 'New policy' };

export default function NewPolicyPage() {
  return <PolicyEditor />;
}
