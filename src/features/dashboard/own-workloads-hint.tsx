import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';

/** Leads to the question on which workloads Fabric runs, until it is answered. For those who may answer it. */
export function OwnWorkloadsHint() {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery(trpc.policyTests.own.queryOptions());
  if (!data || data.open === 0) return null;
  return (
    <Notice
      tone="info"
      title={t('Which workloads does Fabric run on?')}
      action={
        <Link className={buttonClass({ size: 'sm', variant: 'secondary' })} href={paths.protectedConnections()}>
          {t('Confirm workloads')}
        </Link>
      }
    >
      {t('Fabric found its own workloads by address. Confirm them, so that no policy cuts Fabric off.')}
    </Notice>
  );
}
