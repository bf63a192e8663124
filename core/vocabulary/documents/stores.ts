/** The stores of a game in one environment. A process without the key for secrets skips the document. */
export interface StoresDocument {
  /** Absent: the App Store is not set up. */
  apple?: AppleSettings;
  /** Absent: Google Play is not set up. */
  google?: GoogleSettings;
  updatedAt: number;
  version: number;
}

export interface AppleSettings {
  bundleId: string;
  /** The app's number in the App Store, which receipts of the live environment are checked for; `null` in the test one. */
  appAppleId: number | null;
}

export interface GoogleSettings {
  packageName: string;
  /** The service account that may read purchases. */
  clientEmail: string;
  /** Its key, PEM. */
  privateKey: string;
  /** The audience and the e-mail address in the tokens with which Pub/Sub sends notifications; `null`: none are taken. */
  pushAudience: string | null;
  pushEmail: string | null;
}
