'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { Impact } from '@/domain/impact/impact';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { RelativeTime } from '@/ui/values';
import { DetailPage } from '../detail-page';
import { PolicyLink } from '../entity-links';
import { TimeRangeControl } from '../time-range-control';
import { ImpactView } from './impact-view';
import { type AskedTimes, IMPACT_SPANS, toRequestedTimes, toRerunTimes, useImpact } from './use-impact';

/** One impact as a page of its own, to be shared by its address. */
export function ImpactDetail({ impactId }: { impactId: string }) {
  const t = useT();
  const query = useImpact(impactId);
  return (
    <DetailPage query={query} title={(impact) => t('Impact of {name}', { name: impact.policy_name })}>
      {(impact) => <Content impact={impact} />}
    </DetailPage>
  );
}

function Content({ impact }: { impact: Impact }) {
  const t = useT();
  const trpc = useTRPC();
  const router = useRouter();
  const title = t('Impact of {name}', { name: impact.policy_name });
  const again = useMutation(
    trpc.impacts.again.mutationOptions({ onSuccess: ({ id }) => router.push(paths.impact({ impactId: id })) }),
  );
  const { since, until } = impact.window;
  const compute = (times: AskedTimes) => again.mutate({ id: impact.id, ...times });
  const computeAgain = () => compute(toRerunTimes(impact, Date.now()));
  return (
    <>
      <PageTrail crumbs={[{ label: title }]} />
      <PageHeader
        title={title}
        badge={impact.policy_id === null ? <Badge>{t('Draft')}</Badge> : undefined}
        description={
          <>
            {t.rich('Computed {at}.', { at: <RelativeTime at={impact.created_at} /> })}{' '}
            {impact.policy_id !== null && <PolicyLink id={impact.policy_id} name={impact.policy_name} />}
          </>
        }
        actions={
          <>
            <TimeRangeControl
              range={null}
              since={since}
              until={until}
              spans={IMPACT_SPANS}
              onChange={(range) => compute(toRequestedTimes(range, Date.now()))}
            />
            <Button onClick={computeAgain} pending={again.isPending}>
              {t('Compute again')}
            </Button>
          </>
        }
      />
      {again.error && (
        <Notice tone="danger" live title={toFailure(again.error).title}>
          {toFailure(again.error).detail}
        </Notice>
      )}
      <ImpactView impact={impact} onCompute={computeAgain} pending={again.isPending} />
    </>
  );
}
