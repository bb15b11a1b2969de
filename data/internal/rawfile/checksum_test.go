package rawfile

import (
	"errors"
	"strings"
	"testing"
)

// FIPS 180-2, appendix B.1, and RFC 1321, appendix A.5: the hashes of "abc".
const (
	abcSHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	abcMD5    = "900150983cd24fb0d6963f7d28e17f72"
)

func TestVerifyAcceptsTheRightContent(t *testing.T) {
	for _, sum := range []Checksum{SHA256(abcSHA256), MD5(abcMD5), MD5(strings.ToUpper(abcMD5))} {
		if err := sum.Verify("file", []byte("abc")); err != nil {
			t.Errorf("%v of \"abc\": %v", sum, err)
		}
	}
}

func TestVerifyNamesFileExpectedAndFound(t *testing.T) {
	// RFC 1321, appendix A.5: MD5 of "a".
	const aMD5 = "0cc175b9c0f1b6a831c399e269772661"
	err := MD5(abcMD5).Verify("some.gz", []byte("a"))
	var mismatch *ChecksumError
	if !errors.As(err, &mismatch) {
		t.Fatalf("error %v: want a *ChecksumError", err)
	}
	if mismatch.File != "some.gz" || mismatch.Bytes != 1 || mismatch.Expected != MD5(abcMD5) || mismatch.Found != MD5(aMD5) {
		t.Errorf("error fields %+v", *mismatch)
	}
	for _, want := range []string{"some.gz", abcMD5, aMD5, "download it again"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message %q lacks %q", err, want)
		}
	}
}

func TestVerifyRefusesMalformedChecksums(t *testing.T) {
	for _, sum := range []Checksum{{}, MD5(""), MD5("zz"), SHA256(abcMD5), MD5(abcSHA256)} {
		if err := sum.Verify("file", []byte("abc")); err == nil {
			t.Errorf("checksum %q accepted", sum)
		}
	}
}
