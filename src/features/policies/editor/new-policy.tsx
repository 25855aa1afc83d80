'use client';
import { useSearchParams } from 'next/navigation';
import { loadLater } from '@/ui/load-on-opening';
import { DetailSkeleton } from '../../shared/detail-page';
import { NewPolicyForm } from './new-policy-form';
import { PolicyWriters } from './policy-form';

/** Only links from observed traffic and from workloads have a draft. */
const DraftedPolicy = loadLater(
  () => import('./drafted-policy').then((module) => module.DraftedPolicy),
  <DetailSkeleton />,
);

/** The page on which a policy is created. */
export function NewPolicy() {
  const params = useSearchParams();
  return (
    <PolicyWriters>
      {params.has('draft') ? <DraftedPolicy link={params.toString()} /> : <NewPolicyForm />}
    </PolicyWriters>
  );
}
