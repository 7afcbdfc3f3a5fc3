// A certificate for servers of the tests.

/** For `localhost` and 127.0.0.1, signed by itself, and valid for nothing else. A program that is told so trusts it. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUV1pxxEQuwAZIuzjLh6ZfMXslPRYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjAwMzY1MFoYDzIxMjYxMDI5
MDAzNjUwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARjKKcKdTeLk8HDNlgM/2nRU8Lr+PLiUK2GNPRQYcaUp7YCRhhJJenm
iYzzf937Uz/y96dkaxgBgt1OTZEyvb8qo28wbTAdBgNVHQ4EFgQU6cjJtZJpDtTl
tovKxnZOf/iOV/YwHwYDVR0jBBgwFoAU6cjJtZJpDtTltovKxnZOf/iOV/YwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAP9FTss7E73Y3QCRX2dzdcZ6cKgZCPl2Qy2CfFalAGSZAiEA
9+jQNsYU8pFLcr7RTPfvZaCdhVOCEVzYmMXR1PyR3r4=
-----END CERTIFICATE-----`;
/** Of the certificate. */
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnO5fbAQuJf9mmHdB
w+DPT0c7DHuYdz+wk7A72VbKelChRANCAARjKKcKdTeLk8HDNlgM/2nRU8Lr+PLi
UK2GNPRQYcaUp7YCRhhJJenmiYzzf937Uz/y96dkaxgBgt1OTZEyvb8q
-----END PRIVATE KEY-----`;
