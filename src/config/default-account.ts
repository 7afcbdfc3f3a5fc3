// The name of the account of `crm` and `google` at the top of the file, and of jobs that name none.
export const defaultAccount = 'default';
