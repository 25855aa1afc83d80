import { Reference } from '@/features/reference/reference';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('API reference'));

export default function ReferencePage() {
  return <Reference />;
}
