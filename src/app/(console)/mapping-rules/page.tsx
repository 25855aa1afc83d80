import type { Metadata } from 'next';
import { MappingRules } from '@/features/administration/mapping/mapping-rules';

export const metadata: Metadata = { title: 'Mapping rules' };

export default function MappingRulesPage() {
  return <MappingRules />;
}
