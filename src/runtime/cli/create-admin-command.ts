import { AccountEmail } from '@/domain/auth';
import { NewPassword } from '@/domain/auth-password';
import { makeAdministrator } from '@/server/access/users/make-administrator';
import { systemScope } from '@/server/auth/scope';
import { type Command, EXIT, textOption, UsageError } from './command';
import { withInstallation, withServices } from './open-installation';
import { promptSecret, readSecretFile } from './passphrase';

async function readPassword(file: string | null): Promise<string> {
  if (file !== null) return readSecretFile(file, 'password');
  const remedy = 'There is no terminal to enter the password. Use --password-file (- for standard input).';
  const password = await promptSecret('Password: ', remedy);
  if ((await promptSecret('Confirm password: ', remedy)) !== password)
    throw new UsageError('The two passwords do not match.');
  return password;
}

export const createAdminCommand: Command = {
  name: 'create-admin',
  summary: 'Create a super administrator, or restore access to one.',
  help: `  fabric create-admin EMAIL [--name NAME] [--password-file FILE] [--reset]

Creates the first administrator without the setup page, or restores access if no administrator can sign in. Prompts for the
password.

--name NAME           name of the account
--password-file FILE  the first line of FILE is the password (- for standard input)
--reset               for an existing account: set this password and the role, activate the account, end its sessions and
                      API tokens, remove its second factor and its lockout`,
  options: { name: { type: 'string' }, 'password-file': { type: 'string' }, reset: { type: 'boolean' } },
  positionals: ['EMAIL'],
  async run({ values, positionals, terminal }) {
    const email = AccountEmail.safeParse(positionals[0] ?? '');
    if (!email.success) throw new UsageError(email.error.issues[0]?.message ?? 'The email address is not valid.');
    const password = NewPassword.safeParse(await readPassword(textOption(values, 'password-file')));
    if (!password.success) throw new UsageError(password.error.issues[0]?.message ?? 'The password is not valid.');
    const { created } = await withInstallation({}, terminal, (installation) =>
      withServices(installation, () =>
        makeAdministrator(systemScope('*', 'fabric create-admin'), {
          email: email.data,
          name: textOption(values, 'name') ?? '',
          password: password.data,
          reset: values.reset === true,
        }),
      ),
    );
    terminal.print(`${email.data} is ${created ? 'now' : 'again'} a super administrator.`);
    return EXIT.ok;
  },
};
