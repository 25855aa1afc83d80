import { SubnetDetail } from '@/features/addresses/subnet-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Prefix'));

export default async function SubnetPage({ params }: { params: Promise<{ subnetId: string }> }) {
  const { subnetId } = await params;
  return <SubnetDetail key={subnetId} subnetId={subnetId} />;
}
