import { NetboxSourceDetail } from '@/features/addresses/netbox/netbox-source-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('NetBox source'));

export default async function NetboxSourcePage({ params }: { params: Promise<{ sourceId: string }> }) {
  const { sourceId } = await params;
  return <NetboxSourceDetail key={sourceId} sourceId={sourceId} />;
}
