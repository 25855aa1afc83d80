import { ProjectList } from '@/features/administration/projects/project-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Projects'));

export default function ProjectsPage() {
  return <ProjectList />;
}
