import { NetboxSources } from '@/features/addresses/netbox/netbox-sources';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('NetBox sources'));

export default function NetboxSourcesPage() {
  return <NetboxSources />;
}
