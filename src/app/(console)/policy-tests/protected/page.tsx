import { ProtectedConnections } from '@/features/policy-tests/protected-connections';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Protected connections'));

export default function ProtectedConnectionsPage() {
  return <ProtectedConnections />;
}
