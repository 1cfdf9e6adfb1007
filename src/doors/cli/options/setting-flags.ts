// Options of the command line by the name of the setting they stand above.

export type SettingFlags = Readonly<Record<string, string | undefined>>;
