import { Directory, DirectoryCheck, DirectoryCheckInput, DirectoryInput } from '@/domain/directory';
import { checkDirectory, readDirectory, updateDirectory } from '../../access/directory/settings';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Settings');

export const directoryRouter = router({
  get: query({
    rest: 'GET /settings/directory',
    summary: 'Get the directory (LDAP, Active Directory) without the password of its bind account.',
    access: { permission: 'settings:read' },
    output: Directory,
    run: () => readDirectory(),
  }),
  update: mutation({
    rest: 'PUT /settings/directory',
    summary: 'Store the directory and the roles that its groups assign. Super administrators only.',
    access: { permission: '*' },
    input: DirectoryInput,
    output: Directory,
    run: ({ scope, input }) => updateDirectory(scope, input),
  }),
  check: mutation({
    rest: 'POST /settings/directory/check',
    summary: 'Look a user up with these settings: account, groups, roles. Nothing is stored, and no one is signed in.',
    access: { permission: '*' },
    input: DirectoryCheckInput,
    output: DirectoryCheck,
    run: ({ scope, input }) => checkDirectory(scope, input),
  }),
});
